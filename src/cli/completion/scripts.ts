/** Completion script for bash 3.2 and later (macOS has 3.2). It does not need the package bash-completion. */
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

export const FISH = `# fish completion for passkey. What passkey answers is only printed for complete, which quotes it: none of it is evaluated.
function __passkey_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command passkey __complete -- $words[2..-1] (string unescape -- $current; or echo -- $current) 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path $current
        case folders
            __fish_complete_directories $current
        case commands
            complete -C -- $current
    end
    if test (count $lines) -gt 1
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c passkey -f -k -a '(__passkey_complete)'
`;

export const POWERSHELL = `# PowerShell completion for passkey. What passkey answers is only put into quotes: none of it is evaluated.
Register-ArgumentCompleter -Native -CommandName passkey -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.ToString()
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    if ($length -lt $line.Length) { $line = $line.Substring(0, $length) }
    # What is not in the line any more is the blank behind its last word.
    if ($length -gt $line.Length) { $line += ' ' }
    # Windows PowerShell hands on a double quote only behind a backslash.
    if ($PSVersionTable.PSVersion.Major -lt 7) { $line = $line -replace '"', '\\"' }
    $lines = @(& (Get-Command passkey -CommandType Application, ExternalScript | Select-Object -First 1) __complete --line $line 2>$null)
    $kind = if ($lines.Count -gt 0) { $lines[0] } else { 'none' }
    foreach ($entry in ($lines | Select-Object -Skip 1)) {
        $value, $about = $entry -split "\`t", 2
        $text = if ($value -match '^[\\w./:=+-]+$') { $value } else { "'" + ($value -replace "['\`u{2018}\`u{2019}]", '$0$0') + "'" }
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
    switch ($kind) {
        'files' { [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) }
        'folders' { [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) | Where-Object ResultType -eq 'ProviderContainer' }
        'commands' { [System.Management.Automation.CompletionCompleters]::CompleteCommand($wordToComplete) }
    }
}
`;
