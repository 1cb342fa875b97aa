define ba$d
end
