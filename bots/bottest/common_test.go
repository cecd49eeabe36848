package bottest

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test of either fake leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
