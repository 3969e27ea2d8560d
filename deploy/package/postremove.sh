#!/bin/sh
# The data in /var/lib/svc and the user whose it is stay, also when dpkg purges.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || :
fi
