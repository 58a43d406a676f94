#!/bin/bash
# The editors' grammars: their words are those of the compiler's tables, in which a planted word is missed, as is one that a list
# loses; and Vim, and a TextMate engine where there is one, see what groups.py says.
cd "$(dirname "$0")/../.." || exit 1
export PYTHONDONTWRITEBYTECODE=1
. tests/suite.sh
python3 editors/words.py >"$dir/log" 2>&1
verdict $? "$(cat "$dir/log")"
for file in editors/vscode/*.json editors/vscode/syntaxes/*.json; do
    python3 -m json.tool "$file" >/dev/null 2>"$dir/log"
    verdict $? "$file: $(cat "$dir/log")"
done

copy() { # the tables and the grammars
    rm -rf "$dir/copy" && mkdir -p "$dir/copy/grammar" "$dir/copy/frontend/ast" && cp -r ir editors "$dir/copy" &&
        cp grammar/lexer.re "$dir/copy/grammar" && cp frontend/ast/builtins.def "$dir/copy/frontend/ast"
}
notices() { # WORD: the copy is refused for it
    if cmp -s "$1" "$dir/copy/$1"; then verdict 1 "nothing was planted in $1"; fi
    python3 editors/words.py "$dir/copy" >"$dir/log" 2>&1
    [ $? = 1 ] && grep -q "\b$2 is missing" "$dir/log"
    verdict $? "$1: the missing word $2 is not noticed: $(cat "$dir/log")"
}
for word in let "then" true nan bf16 clamp hint argmax remat ordered; do
    for file in editors/vim/syntax/td.vim editors/vscode/syntaxes/td.tmLanguage.json; do
        copy
        # the last one of a list, a middle one, one with what separates it in Vim's patterns
        sed -i -E "s/(\\\\\||\||[(: ])$word(\\\\\||\||[) \\\\]|$)/\1gone\2/g" "$dir/copy/$file"
        notices "$file" $word
    done
done
plant() { # FILE LINE-OF-SED WORD
    copy
    sed -i "$2" "$dir/copy/$1"
    notices "$1" "$3"
}
plant grammar/lexer.re 's/"import" .*/&\n            "planted" { token = word(p, t, from, TK_IMPORT); goto done; }/' planted
plant ir/types.def 's/^TYPE(F64,/TYPE(F128, f128, 128, FLOAT, F128)\n&/' f128
plant ir/ops.def 's/^OP(SQRT,/OP(CBRT, "cbrt", 1, CALL, FLOAT)\n&/' cbrt
plant ir/monoids.def 's/^MONOID(SUM,/MONOID(XOR, xor, 1)\n&/' xor
plant frontend/ast/builtins.def 's/^BUILTIN(RELU,/BUILTIN(STEP, step, ELEMENT, 1)\n&/' step
plant frontend/ast/builtins.def 's/^BUILTIN(MEAN,/BUILTIN(SPREAD, spread, REDUCTION, 1)\n&/' spread
plant ir/options.def 's/^OPTION(MATH,/OPTION(SPEED, speed)\n&/' speed

python3 tests/editors/groups.py >"$dir/log" 2>&1
counted $? "$dir/log"
finish
