module svc/clients/go

go 1.26.0
