package event_test

import (
	"context"
	"encoding/json"
	"fmt"

	"svc/internal/event"
)

// allDefinitions selects all definitions.
var allDefinitions = event.DefinitionsQuery{Archived: true, Limit: 200}

// definitions requests a page of definitions. The model has no IDs; the IDs of the engine
// must exist and be distinct.
func definitions(p event.Project, q event.DefinitionsQuery) operation {
	return answered(fmt.Sprintf("Definitions %d %+v", p, q),
		func(m *model) string {
			total, list := m.of(p).list(q)
			return describe(list) + fmt.Sprint(" of ", total)
		},
		func(ctx context.Context, r *rig) (string, error) {
			total, list, err := r.Definitions(ctx, p, q)
			ids := map[string]bool{"": true}
			shown := []event.Definition{}
			for _, d := range list {
				if ids[d.ID] {
					return "", fmt.Errorf("the ID %q of %s is empty or used twice", d.ID, d.Name)
				}
				ids[d.ID], d.ID = true, ""
				shown = append(shown, d)
			}
			return describe(shown) + fmt.Sprint(" of ", total), err
		})
}

// deleteDefinition deletes the definition of a name, if there is one.
func deleteDefinition(p event.Project, name string) operation {
	return answered(fmt.Sprintf("DeleteDefinition %d %s", p, name),
		func(m *model) bool {
			_, known := m.of(p).definitions[name]
			delete(m.of(p).definitions, name)
			return known
		},
		func(ctx context.Context, r *rig) (bool, error) {
			d, err := r.definition(ctx, p, name)
			if err != nil || d == nil {
				return false, err
			}
			return true, r.DeleteDefinition(p, d.ID, nil)
		})
}

// updateDefinition edits the definition of a name, if there is one.
func updateDefinition(p event.Project, name string, display, description *string, archived bool) operation {
	change := func(d *event.Definition) error {
		d.DisplayName, d.Description, d.Archived = display, description, archived
		return nil
	}
	text, _ := json.Marshal([]*string{display, description})
	return answered(fmt.Sprintf("UpdateDefinition %d %s %s archived %v", p, name, text, archived),
		func(m *model) string {
			d := m.of(p).definitions[name]
			if d == nil {
				return ""
			}
			if err := change(d); err != nil {
				return err.Error()
			}
			return describe(d)
		},
		func(ctx context.Context, r *rig) (string, error) {
			d, err := r.definition(ctx, p, name)
			if err != nil || d == nil {
				return "", err
			}
			changed, err := r.UpdateDefinition(p, d.ID, change)
			if err == nil && changed.ID != d.ID {
				err = fmt.Errorf("the ID changed from %q to %q", d.ID, changed.ID)
			}
			changed.ID, changed.Count = "", 0
			return describe(&changed), err
		})
}

// definition returns the definition of a name, or nil if there is none.
func (r *rig) definition(ctx context.Context, p event.Project, name string) (*event.Definition, error) {
	_, list, err := r.Definitions(ctx, p, allDefinitions)
	for _, d := range list {
		if d.Name == name {
			return &d, err
		}
	}
	return nil, err
}
