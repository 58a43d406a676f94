#!/bin/bash
# The licence is MIT everywhere, and one sentence says everywhere that what tdc emits is the user's.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
TDC=${TDC:-build/tdc}
. tests/suite.sh
grep -q '^MIT License$' LICENSE && grep -q '^Copyright (c) [0-9]* The tdc authors$' LICENSE
verdict $? 'LICENSE'
same 'the text of LICENSE, as it is since its first publication' "$(tail -n +5 LICENSE | tr -s ' \n' ' ' | sha256sum | cut -c1-16)" 783d6159681f9836
sentence='emits is yours, the text of its prelude and its library in it included: use, change, license and share it without any condition.'
# one_line FILTER...: what it prints, without marks of comments and of the manual page, in one line
one_line() { "$@" | sed -E 's,^(//|\.[A-Z][a-z]) ?,,' | tr -s ' \n' ' '; }
says() { # WHAT FILTER...
    local what=$1
    shift
    one_line "$@" | grep -qF "$sentence"
    verdict $? "$what does not say: $sentence"
}
says README.md cat README.md
says docs/tdc.1 cat docs/tdc.1
says 'tdc --version' "$TDC" --version
says 'an emitted file' "$TDC" samples/softmax.td --dump=cu
for page in README.md docs/tdc.1; do
    one_line cat $page | grep -q 'under the MIT licence'
    verdict $? "$page does not name the licence"
done
"$TDC" --version | grep -q 'under the MIT licence'
verdict $? 'tdc --version does not name the licence'
grep -qE '^license = .*"MIT"' python/pyproject.toml
verdict $? 'python/pyproject.toml does not name the licence'
finish
