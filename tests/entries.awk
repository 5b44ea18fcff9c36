# entries.awk - makes entries for tests: JSON lines, the same for the same seed
#
#   awk -v n=20000 [-v seed=1] [-v domain=d] [-v ids=some|none|all] -f entries.awk
#
# Turns of many users, implicit and explicit, in rooms and in sessions, in
# order, late and after long silences; exchanges that grow by two messages;
# commands; resends under the same id; and a few that must be refused.  All
# times lie in the past.

BEGIN {
	if (n == "") n = 1000
	if (seed == "") seed = 1
	if (domain == "") domain = "default"
	if (ids == "") ids = "some"
	state = (seed * 7919 + 12345) % 2147483647
	users = 40
	threads = 0
	epoch = 1700000000000
	for (i = 1; i <= n; i++)
		print entry(i)
}

# 0 .. below-1.  A generator of our own: awks differ in theirs.
function below(most) {
	state = (state * 16807) % 2147483647
	return int(state / 7) % most
}

function words(count,    s, i) {
	for (i = 0; i < count; i++)
		s = s (i ? " " : "") "w" below(below(4) ? 60 : 4000)
	return s
}

# A user's own time goes on by seconds, sometimes by more than the timeout,
# and some entries are late.
function time_of(user,    late) {
	if (!(user in clock)) clock[user] = epoch + below(100000000)
	clock[user] += below(20) ? 1000 + below(90000) : 1800000 + below(7200000)
	late = below(25) ? 0 : below(5400000)
	return sprintf("%.0f", clock[user] - late)
}

function common(i, user,    s) {
	s = "\"domain\":\"" domain "\",\"user\":\"" user "\",\"ts\":" time_of(user)
	if (ids == "all" || (ids == "some" && below(5) < 3))
		s = s ",\"id\":\"" domain "-" i "\""
	return s
}

function turn(i, user,    s) {
	s = "{\"type\":\"turn\"," common(i, user)
	s = s ",\"channel\":\"" (below(2) ? "web" : "sms") "\""
	s = s ",\"role\":\"" (below(3) ? "user" : "assistant") "\""
	return s ",\"text\":\"" words(3 + below(12)) "\""
}

function selected(i, user,    name) {
	name = below(12) && threads ? below(threads) + 1 : ++threads
	return turn(i, user) ",\"thread\":\"th-" name "\"}"
}

# A call repeats all that was said before it and adds a question; its answer
# is in the next one.
function exchange(i, user,    talk, reply, s) {
	talk = user "/" below(3)
	if (depth[talk] >= 8) depth[talk] = 0
	if (!depth[talk]) said[talk] = ""
	said[talk] = said[talk] (depth[talk] ? "," : "") \
	    "{\"role\":\"user\",\"content\":\"" words(4) " " i "\"}"
	reply = "{\"role\":\"assistant\",\"content\":\"" words(5) "\"}"
	s = "{\"type\":\"exchange\"," common(i, user) ",\"system\":\"be " below(3) \
	    "\",\"messages\":[" said[talk] "]"
	if (below(8)) {
		s = s ",\"response\":" reply
		said[talk] = said[talk] "," reply
		depth[talk] += 2
	} else
		depth[talk] += 1
	return s "}"
}

function command(i, user,    what, thread) {
	what = below(6)
	thread = "\"thread\":\"th-" (below(threads + 1) + 1) "\""
	if (what == 0)
		return "{\"type\":\"fork\"," common(i, user) "," thread \
		    ",\"as\":\"fork-" i "\",\"name\":\"" words(2) "\"}"
	if (what == 1)
		return "{\"type\":\"rename\"," common(i, user) "," thread \
		    ",\"name\":\"" words(2) "\"}"
	if (what == 2)
		return "{\"type\":\"close\"," common(i, user) "," thread "}"
	if (what == 3)
		return "{\"type\":\"reopen\"," common(i, user) "," thread "}"
	return "{\"type\":\"memory\"," common(i, user) ",\"text\":\"" words(6) "\"}"
}

function refused(i) {
	if (below(2))
		return "{\"type\":\"turn\",\"domain\":\"" domain "\",\"user\":\"u1\"}"
	return "{\"type\":\"nothing\",\"id\":\"" domain "-bad-" i "\"}"
}

function entry(i,    user, dice) {
	user = "u" below(users)
	dice = below(100)
	if (dice < 55)
		last = turn(i, user) "}"
	else if (dice < 62)
		last = turn(i, user) ",\"room\":\"r" below(5) "\"}"
	else if (dice < 66)
		last = turn(i, user) ",\"kind\":\"explicit\",\"session\":\"s" \
		    below(20) "\"}"
	else if (dice < 80)
		last = selected(i, user)
	else if (dice < 92)
		last = exchange(i, user)
	else if (dice < 97)
		last = command(i, user)
	else if (dice < 98)
		return refused(i)
	else if (last !~ /"id":/)
		last = turn(i, user) "}"
	# else: the same entry again, under the same id
	return last
}
