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
