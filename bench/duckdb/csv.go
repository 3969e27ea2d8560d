package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"svc/bench/internal/workload"
)

// writeCSV writes the events of a plan in order. It includes only the columns that differ between
// events.
func writeCSV(path string, p workload.Plan) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	source, batch := workload.New(p), workload.Batch{}
	_, _ = w.WriteString("time,name,event_id,distinct_id,session_id,plan,format,screen,amount,item\n") // a later Flush returns the error
	for source.Next(&batch) {
		for i := range batch.Events {
			e := &batch.Events[i]
			_, _ = fmt.Fprintf(w, "%d,%s,%s,%s,%s,%s,%s,%s,%d,%s\n", e.At, e.Name, e.ID, batch.Subject, batch.Session,
				e.Properties.Plan, e.Properties.Format, e.Properties.Screen, e.Properties.Amount, e.Properties.Item)
		}
	}
	return w.Flush()
}
