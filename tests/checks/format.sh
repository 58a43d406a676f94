#!/bin/bash
# The style of the C files: .clang-format, and no line over 120 columns. --fix (`make format`) formats them instead. The
# prose of pages (*.md) keeps to 120 columns too; their tables and code may be wider.
# The formatter's versions differ in what they write: only by 14 is it judged. tests/golden has what tdc prints.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
files=$(find ir sched backend_cuda frontend grammar samples tests -name '*.[ch]' -not -path 'tests/golden/*' | sort)
format=
for name in clang-format-14 clang-format; do
    case $($name --version 2>/dev/null) in *' version 14.'*) format=$name && break ;; esac
done
# shellcheck disable=SC2086 # files is a list of words
if [ "${1:-}" = --fix ]; then
    [ -n "$format" ] || { echo "needs clang-format 14" >&2; exit 1; }
    exec $format -i $files
fi
failed=0
# shellcheck disable=SC2086
LC_ALL=C.UTF-8 grep -nE '.{121}' $files && echo "lines over 120 columns" && failed=1
for page in *.md */*.md */*/*.md; do
    sed '/^```/,/^```/s/.*//' "$page" | LC_ALL=C.UTF-8 grep -nE '^([^| ]| {0,3}[^| ]).{120}' | sed "s,^,$page:," | grep . &&
        echo "prose over 120 columns" && failed=1
done
# shellcheck disable=SC2086
if [ -n "$format" ]; then
    $format --dry-run -Werror $files || failed=1
else
    echo "passed over: without clang-format 14 only the width of lines is tested"
fi
[ $failed = 0 ]
