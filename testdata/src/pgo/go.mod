module pgo

go 1.21
