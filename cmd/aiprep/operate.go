package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"aiprep/engine"
	"aiprep/engine/boltstore"
	"aiprep/engine/seal"
)

// site is a store that a command works on: the one of the running serve, or an
// idle file that was opened for the command.
type site struct {
	file   *boltstore.Store
	engine func(context.Context) (*engine.Engine, error) // the engine over it
}

// storeCommand is what a command does to a store. Its question and its answer
// travel as JSON, whether through the socket or not.
type storeCommand func(ctx context.Context, s site, ask func(any) error) (any, error)

// storeCommands are all of them, by their path on the socket.
func storeCommands() map[string]storeCommand {
	return map[string]storeCommand{
		"backup": func(ctx context.Context, s site, ask func(any) error) (any, error) {
			var to backupTo
			if err := ask(&to); err != nil {
				return nil, err
			}
			return s.file.Backup(ctx, to.Path)
		},
		"rebuild": func(ctx context.Context, s site, ask func(any) error) (any, error) {
			var how rebuildHow
			if err := ask(&how); err != nil {
				return nil, err
			}
			return onEngine(ctx, s, func(eng *engine.Engine) (any, error) { return eng.Rebuild(ctx, how.VerifyOnly) })
		},
		"item-health": func(ctx context.Context, s site, _ func(any) error) (any, error) {
			return onEngine(ctx, s, func(eng *engine.Engine) (any, error) { return eng.ItemHealth(ctx) })
		},
		"flags": func(ctx context.Context, s site, _ func(any) error) (any, error) {
			return onEngine(ctx, s, func(eng *engine.Engine) (any, error) { return eng.Flags(ctx) })
		},
		"item": func(ctx context.Context, s site, ask func(any) error) (any, error) {
			var v itemVerdict
			if err := ask(&v); err != nil {
				return nil, err
			}
			return onEngine(ctx, s, func(eng *engine.Engine) (any, error) { return decideItem(ctx, eng, v, time.Now()) })
		},
		"block": func(ctx context.Context, s site, ask func(any) error) (any, error) {
			var how blockHow
			if err := ask(&how); err != nil {
				return nil, err
			}
			return onEngine(ctx, s, func(eng *engine.Engine) (any, error) { return doBlock(ctx, eng, how) })
		},
		"unlock": func(ctx context.Context, s site, ask func(any) error) (any, error) {
			var how unlockHow
			if err := ask(&how); err != nil {
				return nil, err
			}
			return onEngine(ctx, s, func(eng *engine.Engine) (any, error) { return doUnlock(ctx, eng, how, time.Now()) })
		},
		"item-numbers": func(ctx context.Context, s site, _ func(any) error) (any, error) {
			return onEngine(ctx, s, func(eng *engine.Engine) (any, error) { return eng.Learnt(ctx) })
		},
	}
}

func onEngine(ctx context.Context, s site, do func(*engine.Engine) (any, error)) (any, error) {
	eng, err := s.engine(ctx)
	if err != nil {
		return nil, err
	}
	return do(eng)
}

// run answers a question.
func (do storeCommand) run(ctx context.Context, s site, question []byte) ([]byte, error) {
	answer, err := do(ctx, s, func(v any) error { return json.Unmarshal(question, v) })
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

// onStore has a command done, by the running serve if there is one, otherwise
// here, on the idle file.
func (p *program) onStore(ctx context.Context, name string, question, answer any) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	raw, err := json.Marshal(question)
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	out, err := askServe(ctx, cfg.socketPath(), http.MethodPost, "/"+name, raw)
	if errors.Is(err, errNobodyServes) {
		out, err = onIdleFile(ctx, cfg, storeCommands()[name], raw)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(out, answer)
}

// onIdleFile does a command on a file that nobody has open. The key is needed
// only by those commands that read what is in the records.
func onIdleFile(ctx context.Context, cfg Config, do storeCommand, question []byte) (answer []byte, err error) {
	file, err := boltstore.Open(cfg.Store.File, boltstore.Options{MustExist: true, BackupDir: cfg.Store.BackupDir, MaxSize: cfg.Store.MaxSizeMB << 20})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return do.run(ctx, site{file, func(ctx context.Context) (*engine.Engine, error) {
		key, err := readKey(cfg.Store.KeyFile)
		if err != nil {
			return nil, err
		}
		store, err := seal.Open(ctx, file, key)
		if err != nil {
			return nil, err
		}
		bank, err := loadContent("", cfg.Content.Extra)
		if err != nil {
			return nil, err
		}
		return engine.New(ctx, engine.Config{Store: store, Bank: bank, Keep: cfg.Privacy.keep(), Unlock: cfg.Unlock.engine()})
	}}, question)
}
