package bottest

import (
	"errors"
	"fmt"
)

// AddTopic opens a topic in a forum and returns its message_thread_id. General,
// which every forum has, is thread 0.
func (t *Telegram) AddTopic(by, chat int64, name string) (int, error) {
	thread := 0
	err := t.act(by, chat, "open a topic", func(r *tgRoom) error {
		if !r.IsForum {
			return errors.New("the chat is no forum")
		}
		// A topic's id is that of the service message that opens it.
		thread = r.lastID + 1
		r.topics[thread] = &tgTopic{name: name}
		t.service(r, by, TelegramMessage{Thread: thread, TopicCreated: &TelegramTopic{Name: name, Color: 7322096}})
		return nil
	})
	return thread, err
}

// CloseTopic closes a topic for all but administrators; ReopenTopic opens it.
func (t *Telegram) CloseTopic(by, chat int64, thread int) error {
	return t.topicState(by, chat, thread, true)
}

// ReopenTopic ends CloseTopic.
func (t *Telegram) ReopenTopic(by, chat int64, thread int) error {
	return t.topicState(by, chat, thread, false)
}

func (t *Telegram) topicState(by, chat int64, thread int, closed bool) error {
	return t.act(by, chat, "close or open a topic", func(r *tgRoom) error {
		topic := r.topics[thread]
		if topic == nil || topic.closed == closed {
			return fmt.Errorf("no topic %d, or it is so already", thread)
		}
		topic.closed = closed
		m := TelegramMessage{Thread: thread, TopicReopened: &struct{}{}}
		if closed {
			m.TopicReopened, m.TopicClosed = nil, &struct{}{}
		}
		t.service(r, by, m)
		return nil
	})
}

// DeleteTopic deletes a topic with its messages; the bot is not told.
func (t *Telegram) DeleteTopic(by, chat int64, thread int) error {
	return t.act(by, chat, "delete a topic", func(r *tgRoom) error {
		if r.topics[thread] == nil {
			return fmt.Errorf("there is no topic %d", thread)
		}
		delete(r.topics, thread)
		for id, m := range r.messages {
			if m.Thread == thread {
				t.remove(r, id)
			}
		}
		return nil
	})
}

// Migrate turns a basic group into a supergroup and returns its id. The bot gets
// a service message in each of the two, and requests to the old id fail with
// migrate_to_chat_id from now on.
func (t *Telegram) Migrate(by, chat int64) (int64, error) {
	var id int64
	err := t.act(by, chat, "turn a group into a supergroup", func(r *tgRoom) error {
		if r.Type != "group" || !r.isAdmin(by) {
			return errors.New("it is no basic group, or they are no administrator")
		}
		id = -1_000_000_000_000 - t.number()
		c := r.TelegramChat
		c.ID, c.Type = id, "supergroup"
		to := newRoom(c)
		for user, m := range r.members {
			member := *m
			to.members[user] = &member
		}
		t.rooms[id] = to
		t.service(r, by, TelegramMessage{MigrateTo: id})
		r.movedTo = id
		t.service(to, by, TelegramMessage{MigrateFrom: r.ID})
		return nil
	})
	return id, err
}
