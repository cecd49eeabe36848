# Everything here is a short way to say a go command; nothing needs make.

.PHONY: test race crash many mutants golden play bench lint ci

test:
	go test ./...

race:
	GORACE=atexit_sleep_ms=0 go test -race -short ./...

# Kills the program 200 times while it posts and answers; CI does it 50 times.
crash:
	AIPREP_KILLS=200 go test ./cmd/aiprep -run TestKills -count=1 -v

# 100,000 Discord interactions leave nothing in memory; a million random messages
# keep to Telegram's rules. Minutes each; CI does a part.
many:
	AIPREP_INTERACTIONS=100000 go test ./bots/discord -run TestInteractionsLeave -count=1 -v -timeout 30m
	AIPREP_INPUTS=1000000 go test ./bots/telegram -run TestRandomMessages -count=1 -v -timeout 60m

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
