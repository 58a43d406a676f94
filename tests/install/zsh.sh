# What the completion for zsh does in a real zsh: `zsh -f tests/install/zsh.sh FOLDER LINE...` prints what becomes of each line when the
# tabulator key is pressed at its end; FOLDER holds _tdc, and tdc is on PATH.
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
say() { zpty -w shell $1; }
say "unsetopt beep; PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
say 'bindkey "^I" complete-word; setopt noautomenu'
say 'show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^X" show'
say 'print re""ady'
zpty -r shell got '*ready*'
shift
for line; do
    zpty -w -n shell "$line"$'\t'$'\x18'
    zpty -r shell got $'*<<*>>*'
    print -r -- "${${got##*<<}%%>>*}"
done
zpty -d shell
