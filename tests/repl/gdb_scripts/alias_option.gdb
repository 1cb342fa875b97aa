alias zz = print
zz 3
alias -a spe = set print elements
spe 3
show print elements
alias -q x = y
