"""The tables, as the list of steps that made them. A step that was released is never edited: add another.

`PRAGMA user_version` counts the steps that a file has seen. Times are seconds since 1970 (UTC), durations are in
seconds, and a kata goes by its id ("kata-05"), so that another slug or title loses nothing.
"""

_FIRST = (
    # Every grade of the learner's own file. `worked` is the time since they last did something about this kata,
    # `seconds` how long grading took, `result` the whole document of --json, `submission` the text that was graded.
    """
    CREATE TABLE attempts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kata TEXT NOT NULL,
        at REAL NOT NULL,
        score INTEGER NOT NULL,
        passed INTEGER NOT NULL,
        hints INTEGER NOT NULL,
        worked REAL NOT NULL,
        seconds REAL NOT NULL,
        mock INTEGER REFERENCES mocks (id),
        result TEXT NOT NULL,
        submission TEXT NOT NULL
    )
    """,
    "CREATE INDEX attempts_by_kata ON attempts (kata, at)",
    # One row for each hint and place: practice (mock is NULL) or a mock, where it costs points.
    """
    CREATE TABLE hints (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kata TEXT NOT NULL,
        number INTEGER NOT NULL,
        at REAL NOT NULL,
        mock INTEGER REFERENCES mocks (id)
    )
    """,
    # The learner read the brief or opened the file: from here on they work on it.
    "CREATE TABLE visits (id INTEGER PRIMARY KEY AUTOINCREMENT, kata TEXT NOT NULL, at REAL NOT NULL)",
    """
    CREATE TABLE reveals (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kata TEXT NOT NULL,
        at REAL NOT NULL,
        gave_up INTEGER NOT NULL
    )
    """,
    # The file that a kata came with, seen before anybody edited it.
    "CREATE TABLE stubs (kata TEXT PRIMARY KEY, text TEXT NOT NULL)",
    # `deadline` moves when a pause ends; `paused` is when one began. `card` is the scorecard as JSON, once finished.
    """
    CREATE TABLE mocks (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kata TEXT NOT NULL,
        seed INTEGER NOT NULL,
        reason TEXT NOT NULL,
        minutes INTEGER NOT NULL,
        started REAL NOT NULL,
        deadline REAL NOT NULL,
        paused REAL,
        pauses INTEGER NOT NULL DEFAULT 0,
        pause_seconds REAL NOT NULL DEFAULT 0,
        finished REAL,
        card TEXT
    )
    """,
    # Versions of the file that were seen during a mock; `saved` is when the file was written.
    """
    CREATE TABLE versions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        mock INTEGER NOT NULL REFERENCES mocks (id),
        saved REAL NOT NULL,
        text TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE answers (
        mock INTEGER NOT NULL REFERENCES mocks (id),
        number INTEGER NOT NULL,
        question TEXT NOT NULL,
        answer TEXT NOT NULL,
        model TEXT NOT NULL,
        rating INTEGER NOT NULL,
        PRIMARY KEY (mock, number)
    )
    """,
)

_SECOND = (
    # A kata that was passed was begun again. Its hints count from here.
    "CREATE TABLE resets (id INTEGER PRIMARY KEY AUTOINCREMENT, kata TEXT NOT NULL, at REAL NOT NULL)",
)

STEPS: tuple[tuple[str, ...], ...] = (_FIRST, _SECOND)
VERSION = len(STEPS)
