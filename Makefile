# Everything here is a short way to say a go command; nothing needs make.

.PHONY: test race crash soak load fuzz many mutants golden play bench lint ci

test:
	go test ./...

race:
	GORACE=atexit_sleep_ms=0 go test -race -short ./...

# Kills the program 200 times while it posts and answers; CI does it 50 times.
crash:
	AIPREP_KILLS=200 go test ./cmd/aiprep -run TestKills -count=1 -v

# Half an hour of kills: at every step of a post, an answer and a payment, then at random
# moments under load, with platforms that break, a full disk and backups.
soak:
	AIPREP_KILLS=1000 go test ./cmd/aiprep -run TestKills -count=1 -v -timeout 60m
	AIPREP_PAYMENTS=200 go test ./cmd/aiprep -run TestKillsLoseNoPayment -count=1 -v -timeout 30m
	go build -o $${TMPDIR:-/tmp}/aiprep-soak ./cmd/aiprep
	go run ./bots/bottest/cmd/load -bin $${TMPDIR:-/tmp}/aiprep-soak -people 6000 -rate 60 -for 20m -kills 1000

# A fixed rate for a minute: latency, memory, and what was told beside what is stored.
load:
	go build -o $${TMPDIR:-/tmp}/aiprep-load ./cmd/aiprep
	go run ./bots/bottest/cmd/load -bin $${TMPDIR:-/tmp}/aiprep-load

# Fuzz tests, a minute each.
fuzz:
	for t in content:FuzzLoad engine:FuzzHandle engine/picture:FuzzNames bots/discord:FuzzReceive bots/discord:FuzzRender bots/telegram:FuzzReceive bots/telegram:FuzzRender; do \
		go test ./$${t%:*} -run '^$$' -fuzz "^$${t#*:}\$$" -fuzztime 1m || exit 1; \
	done

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
	go test -run '^$$' -bench Press -benchtime 20000x ./bots/discord ./bots/telegram

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

ci:
	.ci/run
