package hooks_test

import (
	"testing"

	"svc/api/apitest"
)

func TestMain(m *testing.M) { apitest.Main(m, apitest.Hooks) }
