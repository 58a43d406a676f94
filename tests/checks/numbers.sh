#!/bin/bash
# Numbers have names. What is known of the machine is said by its rows (sched/machine/*.def), what costs are made of
# by sched/search/cost.def, each row with its unit and where it was measured. So in the files that choose schedules no number but
# 0, 1 and 2 stands bare: one that says what is tried is named in an enum or a table at the top of its file. And no file of sched/
# repeats a figure of the default target and its machine.
cd "${CHECKED:-$(dirname "$0")/../..}" || exit 1
passed=0 failed=0
verdict() { # STATUS WHAT
    if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $2"; fi
}
# A file's code: without comments, texts, names, and declarations of enums and tables. Bits of types are no figures of a machine.
code() { # FILE
    sed -E 's,//.*,,; s,"([^"\\]|\\.)*",,g' "$1" | awk '
        { line = $0; out = ""
          while (line != "") {
              if (comment) { i = index(line, "*/"); if (!i) { line = ""; break } line = substr(line, i + 2); comment = 0 }
              i = index(line, "/*"); if (!i) { out = out line; break }
              out = out substr(line, 1, i - 1); line = substr(line, i + 2); comment = 1
          }
          if (out ~ /^ *enum \{/ || out ~ /^ *static const /) named = 1
          if (!named && out !~ /^#/) print FNR ": " out
          if (named && out ~ /\};?$|;$/) named = 0 }' | sed -E 's/type_bits\([a-z]+\) == [0-9]+//g; s/[A-Za-z_][A-Za-z_0-9]*//g'
}
for file in sched/search/cost.c sched/search/templates.c sched/search/predict.c sched/plan/split.c; do
    bare=$(code "$file" | sed -E 's/^([0-9]+): /\1\t/' | awk -F'\t' '{ n = split($2, w, /[^0-9.eE+-]+|[+-]+/); for (i = 1; i <= n; i++)
        if (w[i] ~ /^[0-9]/ && w[i] !~ /^[012](\.0?)?$/) print $1 ": " w[i] }')
    [ -z "$bare" ]
    verdict $? "$file: numbers without a name (line: number): $(tr '\n' ' ' <<<"$bare")"
done

# Four fields a row; a unit and a source that say something.
while IFS= read -r line; do
    [[ $line =~ ^COST\([A-Z_]+,\ [^,\"]+,\ \"[^\"]{3,}\",\ \"[^\"]{3,}\"\)$ ]]
    verdict $? "sched/search/cost.def: a row without a name, a value, a unit and a source: $line"
done < <(grep -E '^COST' sched/search/cost.def)
grep -q '^COST' sched/search/cost.def
verdict $? "sched/search/cost.def: no rows"
# Every kind of figure has its source: those of targets in the comment, those of machines in their rows.
for word in Limits Sectors Lanes; do
    sed -n '/^ \* Sources\./,/\*\//p' sched/machine/targets.def | grep -qw "$word"
    verdict $? "sched/machine/targets.def: its comment names no source of $word"
done

# The figures of the default machine and target that nothing else is likely to be: its multiprocessors and twice as many, bytes of a
# block's shared memory (also in KB), bytes of its cache, and its speeds.
figures=$(sed -nE 's/^VALUE\((sms|clock|l2|bandwidth|products), ([0-9.e]+),.*/\1 \2/p' sched/machine/h200.def | awk '{ print $2 } $1 == "sms" { print 2 * $2 }')
[ "$(wc -l <<<"$figures")" = 6 ]
verdict $? "sched/machine/h200.def: figures are missing"
shared=$(sed -nE '1,/^TARGET/s/^TARGET\(.*, (true|false), ([0-9]+) \* 1024, [0-9]+, .*/\2/p' sched/machine/targets.def)
for figure in $figures $shared $((shared * 1024)) 40e6; do
    again=$(find sched -name '*.[ch]' -exec grep -nHE "(^|[^0-9A-Za-z_.])${figure//./\\.}([^0-9A-Za-z_.]|$)" {} + | grep -v '"[^"]*'"$figure")
    [ -z "$again" ]
    verdict $? "a figure of the default machine outside of its row: $again"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
