package bottest

// Sample is a small world to begin with: a server with three channels and three
// people, of whom the first manages it. All fields are ids.
type Sample struct {
	Guild   string `json:"guild"`
	General string `json:"general"` // text
	News    string `json:"news"`    // announcements
	Forum   string `json:"forum"`
	Admin   string `json:"admin"`
	Alice   string `json:"alice"`
	Bob     string `json:"bob"`
}

// Populate adds a Sample.
func (d *Discord) Populate() Sample {
	var s Sample
	s.Guild = d.AddGuild(Guild{Name: "Study group"})
	s.General = d.AddChannel(s.Guild, Channel{Name: "general", Type: TextChannel})
	s.News = d.AddChannel(s.Guild, Channel{Name: "news", Type: AnnouncementChannel})
	s.Forum = d.AddChannel(s.Guild, Channel{Name: "daily", Type: ForumChannel, Tags: []Tag{{Name: "question"}}})
	s.Admin = d.AddPerson(Person{Name: "admin"})
	s.Alice = d.AddPerson(Person{Name: "alice"})
	s.Bob = d.AddPerson(Person{Name: "bob", Locale: "de"})
	d.AddMember(s.Guild, Member{User: s.Admin, Permissions: PermsMember | PermAdministrator | PermManageGuild})
	d.AddMember(s.Guild, Member{User: s.Alice})
	d.AddMember(s.Guild, Member{User: s.Bob})
	return s
}
