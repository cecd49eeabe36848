# Everything here is a short way to say a go command; nothing needs make.

.PHONY: test race crash mutants golden play bench lint ci

test:
	go test ./...

race:
	GORACE=atexit_sleep_ms=0 go test -race -short ./...

# Kills the program 200 times while it posts and answers; CI does it 50 times.
crash:
	AIPREP_KILLS=200 go test ./cmd/aiprep -run TestKills -count=1 -v

# Breaks the program in five ways and shows which tests notice.
mutants:
	.ci/mutants/run

# Writes the transcripts and the README's generated parts anew.
golden:
	go test ./bots/console -update
	go test ./cmd/aiprep -run 'TestScripts/^play$$' -update
	go test ./cmd/aiprep -run TestReadme -update

play:
	go run ./cmd/aiprep play < cmd/aiprep/testdata/play.txt | diff cmd/aiprep/testdata/play.golden -

bench:
	go test -run '^$$' -bench . -benchmem ./content ./engine/...

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

ci:
	.ci/run
