#!/bin/bash
# No circle of files that call each other crosses a folder, and none has more than four files; sema's has more, for the reason
# that frontend/sema/sema_int.h gives. From the symbols of the objects that are linked into tdc.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
python3 tests/checks/circles.py "${B:-build}" frontend/sema=14
