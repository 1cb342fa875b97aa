define print foo
end
