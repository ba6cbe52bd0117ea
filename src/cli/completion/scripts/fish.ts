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
