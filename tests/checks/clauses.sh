#!/bin/bash
# Clauses of docs/language.md and the tests that name them: a comment `// clause 4.2` or `# clauses 4.2, 4.3` in a file
# under tests. Every clause is named by a test, and what a test names exists.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
passed=0 failed=0
there=$(sed -nE 's/^([0-9]+\.[0-9]+) .*/\1/p' docs/language.md)
named=$(grep -rhoE --exclude=clauses.sh --exclude-dir=corpus '(//|#|\*) clauses? [0-9]+\.[0-9]+(, [0-9]+\.[0-9]+)*' tests | grep -oE '[0-9]+\.[0-9]+' | sort -uV)
for c in $(sort -V <<<"$there" | uniq -d); do echo "clause $c stands twice" && failed=$((failed + 1)); done
for c in $there; do
    if grep -qxF "$c" <<<"$named"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "no test names clause $c"; fi
done
for c in $named; do
    grep -qxF "$c" <<<"$there" || { failed=$((failed + 1)) && echo "a test names clause $c, which docs/language.md has not"; }
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
