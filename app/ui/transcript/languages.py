"""The languages that are coloured: those that people write, with lexers that were tried.

pygments knows six hundred; some of them take minutes over one hostile line, and a running match
cannot be stopped. What is not named here is shown plain.
"""

_NAMES = """
python py python3 pycon javascript js typescript ts jsx tsx json yaml toml ini html xml css scss
sass less bash sh shell zsh console fish powershell ps1 batch bat c cpp c++ csharp cs c# java kotlin
scala groovy go golang rust rs swift objective-c objc ruby rb php perl lua r julia matlab octave
haskell hs ocaml fsharp elixir erlang clojure lisp scheme sql mysql postgresql plpgsql graphql
protobuf proto dockerfile docker makefile make cmake nginx apache diff udiff markdown md rst latex
tex vim awk nasm llvm zig nim dart d fortran ada pascal delphi prolog verilog vhdl systemverilog
solidity hcl terraform nix jinja django twig handlebars http properties ebnf crystal coffeescript
applescript vbnet elm racket smalltalk tcl gdscript glsl hlsl cuda qml json5 vue
"""

KNOWN = frozenset(_NAMES.split())
