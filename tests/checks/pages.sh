#!/bin/bash
# The pages for developers say what is there: ARCHITECTURE.md has at most 200 lines; every file and folder that it or a README.md
# names in backticks, and every page that is linked, exists; so does every page, and every section of one, that a source names.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
passed=0 failed=0
verdict() { # STATUS WHAT
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "$2"; fi
}
folders="grammar frontend ir sched backend_cuda stdlib tests samples bench python cmake editors docs"
# What users have, or tdc writes: models, their parts, and names in capitals that stand for any.
others='^(add_norm|model|use)[._]|(^|[/_])(?!README\.md$)(X|[A-Z]{2,})([._]|$)'
# shellcheck disable=SC2086 # folders is a list of words
all=$(find $folders -name __pycache__ -prune -o -print)
# As it stands, from the page's folder, from a part's folder that the page lists, or by a file's own name.
exists() { # NAME PAGE
    compgen -G "$1" >/dev/null || compgen -G "$(dirname "$2")/$1" >/dev/null || {
        local any=${1%/}
        any=${any//./\\.}
        grep -qE "(^|/)${any//\*/[a-z_]*}$" <<<"$all"
    }
}
words=${folders// /|}
# shellcheck disable=SC2086
pages=$(ls ./*.md $(find $folders -name README.md) | sed 's,^\./,,')
lines=$(wc -l <ARCHITECTURE.md)
[ "$lines" -le 200 ]
verdict $? "ARCHITECTURE.md has $lines lines, more than 200"
for page in $pages; do
    text=$(sed '/^```/,/^```/d' "$page" | tr '\n' ' ')
    while read -r name; do
        exists "$name" "$page"
        verdict $? "$page: there is no $name"
    done < <(grep -oE '`[A-Za-z0-9_./*-]+`' <<<"$text" | tr -d '`' |
        grep -E "^($words)/|\.(c|h|y|re|def|in|cuh|cpp|md|sh|py|txt|td)$" | grep -vP "$others|^\\." | sort -u)
    while read -r link; do
        [ -e "$(dirname "$page")/$link" ]
        verdict $? "$page: a link to $link, which is not there"
    done < <(sed 's/`[^`]*`//g' <<<"$text" | grep -oE '\]\([^)#:]+\)' | sed 's/^](//; s/)$//' | sort -u)
done
# Pages that sources name: by path, or with a section in quotes.
while IFS=: read -r file name; do
    [ -e "$name" ] || [ -e "$(dirname "$file")/$name" ]
    verdict $? "$file: there is no page $name"
# shellcheck disable=SC2086
done < <(grep -roE --exclude-dir=structure --include='*.[chy]' --include='*.re' --include='*.def' --include='*.in' --include='*.sh' '[a-zA-Z_/]*(README|ARCHITECTURE)\.md' $folders | sort -u)
while IFS=: read -r file cited; do
    name=${cited%%.md*}.md
    [ -e "$name" ] || name=$(dirname "$file")/$name
    grep -qE "^#+ $(sed 's/.*"\(.*\)"/\1/' <<<"$cited")$" "$name"
    verdict $? "$file: no section $cited"
# shellcheck disable=SC2086
done < <(grep -roE --include='*.[chy]' --include='*.re' --include='*.def' '[a-zA-Z_/]*(README|ARCHITECTURE)\.md, "[^"]+"' $folders | sort -u)
echo "$passed passed, $failed failed"
[ $failed = 0 ]
