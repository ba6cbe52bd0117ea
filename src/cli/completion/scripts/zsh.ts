export const ZSH = `#compdef passkey
# zsh completion for passkey. What passkey answers is only handed to compadd, which quotes it: none of it is evaluated.
_passkey() {
  local -a lines values shown
  local line kind value about
  lines=("\${(@f)$(command passkey __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  kind=\${lines[1]}
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\\t'*}
    about=\${line#*$'\\t'}
    [[ -n $value ]] || continue
    values+=("$value")
    if [[ -n $about ]]; then shown+=("$value  -- $about"); else shown+=("$value"); fi
  done
  (( \${#values} )) && compadd -l -d shown -a -- values
  case $kind in
    files) _files ;;
    folders) _files -/ ;;
    commands) _command_names -e ;;
  esac
}
# Loaded by way of fpath, this file is the function; read by source, it has to say so.
if [[ \${funcstack[1]} == _passkey ]]; then _passkey "$@"; else compdef _passkey passkey; fi
`;
