" Vim syntax of td, the tensor language of tdc. editors/words.py writes the lists of words.
if exists("b:current_syntax")
  finish
endif
let s:cpo_save = &cpo
set cpo&vim

syn keyword tdTodo contained TODO FIXME XXX
syn match tdComment "//.*$" contains=tdTodo,@Spell
syn match tdDocComment "///\%([^/].*\)\=$" contains=tdTodo,@Spell
syn region tdComment start="/\*" end="\*/" contains=tdTodo,@Spell
syn match tdEscape contained "\\[nt\"\\]"
syn region tdString start=+"+ skip=+\\.+ end=+"+ oneline contains=tdEscape,@Spell

syn match tdNumber "\<0[xX]\x\+\%(_\x\+\)*\>"
syn match tdNumber "\<\d\+\%(_\d\+\)*\>"
syn match tdFloat "\<\d\+\%(_\d\+\)*\.\d\+\%(_\d\+\)*\%([eE][+-]\=\d\+\)\=\>"
syn match tdFloat "\<\d\+\%(_\d\+\)*[eE][+-]\=\d\+\>"
syn keyword tdFloat inf nan
syn keyword tdBoolean true false

syn match tdKeyword "\<\%(import\|dim\|fn\|export\|let\|inout\|option\|check\|bench\|require\|assume\|reduce\|return\|where\|in\|vjp\|fold\|scan\|foreach\|struct\|extern\|ragged\|shard\)\>"
syn keyword tdConditional if then else
syn keyword tdType f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 i4 u32 u16 u8 u4 bool
syn match tdType "\%(:\s*\)\@<=int\>"
syn match tdType "\<acc\ze\s*("

" Functions and reductions are names like others: these are calls of those that the language has.
syn match tdFunction "\<\%(pow\|min\|max\|abs\|sign\|floor\|ceil\|round\|trunc\|sqrt\|rsqrt\|exp\|exp2\|expm1\|log\|log2\|log10\|log1p\|sin\|cos\|tan\|asin\|acos\|atan\|atan2\|sinh\|cosh\|tanh\|asinh\|acosh\|atanh\|erf\|erfc\|lgamma\|digamma\|sigmoid\|fma\|random\|isnan\|isinf\|isfinite\|flat\|pad\|relu\|identity\|clamp\|new\)\>\ze\s*("
syn match tdReduction "\<\%(sum\|prod\|max\|min\|any\|all\|argmax\|argmin\|mean\|sort\|argsort\|topk\)\>\ze\s*\["

" Words only where something follows that cannot follow a name.
syn match tdClause "\<\%(hint\|divisible\|with\|tol\|error\)\>\ze\s\+\%(\%(in\|then\|else\|where\)\>\)\@![\"0-9A-Za-z_(]"
syn match tdOption "\%(\<option\s\+\)\@<=\%(matmul\|accumulate\|math\|atomics\|remat\)\>"
syn match tdOptionValue "\%(\<option\s\+\h\w*\s*=\s*\)\@<=\%(f32\|tf32\|tf32x3\|bf16\|f16\|exact\|fast\|ordered\|auto\|all\|none\)\>"

syn match tdName "\%(\<\%(fn\|reduce\)\s\+\)\@<=\h\w*"
syn match tdName "\%(\<export\s\+\)\@<=\h\w*\ze\s*="

hi def link tdTodo Todo
hi def link tdComment Comment
hi def link tdDocComment SpecialComment
hi def link tdEscape SpecialChar
hi def link tdString String
hi def link tdNumber Number
hi def link tdFloat Float
hi def link tdBoolean Boolean
hi def link tdKeyword Keyword
hi def link tdConditional Conditional
hi def link tdType Type
hi def link tdFunction Function
hi def link tdReduction Operator
hi def link tdClause Keyword
hi def link tdOption Identifier
hi def link tdOptionValue Constant
hi def link tdName Function

let b:current_syntax = "td"
let &cpo = s:cpo_save
unlet s:cpo_save
