"""The exercises of the lessons, one module each; every solution and every slip is computed when it is asked for."""

# The names are modules:
# pyright: reportUnsupportedDunderAll=false
__all__ = [
    "lesson_00",
    "lesson_01",
    "lesson_02",
    "lesson_03",
    "lesson_04",
    "lesson_05",
    "lesson_06",
    "lesson_07",
    "lesson_08",
    "lesson_09",
    "lesson_10",
    "lesson_11",
    "lesson_12",
]
