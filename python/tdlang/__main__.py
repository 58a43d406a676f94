"""python -m tdlang, and the command tdc of a wheel that has the compiler: runs tdc with the arguments given."""
import os
import sys

from ._build import INSIDE, BuildError, compiler


def main():
    try:
        tdc = INSIDE if os.path.exists(INSIDE) else compiler()
        os.execvp(tdc, [tdc, *sys.argv[1:]])
    except (BuildError, OSError) as e:
        print(e, file=sys.stderr)
        sys.exit(3)


if __name__ == "__main__":
    main()
