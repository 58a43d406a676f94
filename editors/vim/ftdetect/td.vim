" Over Vim's own rule for *.td, which are LLVM's TableGen there.
autocmd BufRead,BufNewFile *.td set filetype=td
