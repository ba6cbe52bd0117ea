/** From bash 3.2 on, which macOS has; it does without the package bash-completion. */
export const BASH = `# bash completion for passkey. What passkey answers is only put into COMPREPLY: none of it is evaluated.
_passkey() {
  local kind='' reply plain=''
  COMPREPLY=()
  # While candidates are inserted one after another, they come without descriptions.
  case \${COMP_TYPE:-9} in 37 | 42) plain=--plain ;; esac
  while IFS= read -r reply; do
    if [ -z "$kind" ]; then kind=$reply; else COMPREPLY+=("$reply"); fi
  done < <(command passkey __complete --bash "$COMP_WORDBREAKS" $plain --line "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    files)
      if [ \${#COMPREPLY[@]} -eq 0 ]; then
        compopt -o default 2>/dev/null
      else
        compopt -o filenames 2>/dev/null
        while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "$2")
      fi
      ;;
    folders) compopt -o dirnames 2>/dev/null ;;
    commands) while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -c -- "$2") ;;
  esac
}
# Before bash 4 there is no compopt.
if [ "\${BASH_VERSINFO[0]}" -ge 4 ]; then
  complete -F _passkey passkey
else
  complete -o default -F _passkey passkey
fi
`;
