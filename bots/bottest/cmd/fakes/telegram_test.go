package main

import (
	"fmt"
	"testing"
)

func TestTelegramIsControlledOverHTTP(t *testing.T) {
	tg := start(t, "-telegram", "127.0.0.1:0")["telegram"]
	c, api := tg.URL+"/_control/", tg.URL+"/bot"+tg.Token+"/"
	do(t, "POST", c+"user", `{"id":7,"first_name":"Ann"}`, 200, nil)
	do(t, "GET", api+"sendMessage?chat_id=7&text=hello", "", 403, nil)
	do(t, "POST", c+"text", `{"user":7,"chat":7,"text":"/start"}`, 200, nil)
	do(t, "GET", api+"sendMessage?chat_id=7&text=hello", "", 200, nil)
	var list []struct {
		ID   int `json:"message_id"`
		Text string
		Bot  bool `json:"_bot"`
	}
	do(t, "GET", c+"messages?chat=7", "", 200, &list)
	if len(list) != 2 || list[1].Text != "hello" || !list[1].Bot {
		t.Errorf("messages %+v", list)
	}
	do(t, "POST", c+"press", fmt.Sprintf(`{"user":7,"chat":7,"message":%d,"data":"x"}`, list[1].ID), 400, nil)
	do(t, "POST", c+"fault", `{"match":"send*","kind":"bad_gateway"}`, 200, nil)
	do(t, "GET", api+"sendMessage?chat_id=7&text=hello", "", 502, nil)
	do(t, "GET", c+"nonsense", "", 400, nil)
}
