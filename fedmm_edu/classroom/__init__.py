"""The class is the federation: each phone in the room a client, the teacher's screen the server.

`problem` is what the class learns together, `scenes` the script of the hour, `room` the pure state with `events` that
move it, `rounds` the package's own loop over the class. `server` carries bytes, `judging` runs in processes of its own.

>>> from fedmm_edu.classroom.events import Join, Threw
>>> room = Threw(0, six=4, heads=2).apply(Join().apply(Room()))
>>> [phone.data for phone in room.phones]
[(4, 2)]
>>> [scene.minute for scene in hour_of("05").scenes][:3]
[0, 4, 7]
"""

from fedmm_edu.classroom.problem import Lines
from fedmm_edu.classroom.room import Phone, Room
from fedmm_edu.classroom.scenes import SCENES, Hour, Stage, hour_of

__all__ = ["SCENES", "Hour", "Lines", "Phone", "Room", "Stage", "hour_of"]
