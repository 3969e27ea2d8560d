#!/bin/sh
# Runs after an installation and after an upgrade. It starts and restarts nothing:
# when data is migrated is for the operator to decide.
set -e
if ! getent group svc >/dev/null; then
	groupadd --system svc
fi
if ! getent passwd svc >/dev/null; then
	useradd --system --gid svc --no-create-home --home-dir /var/lib/svc --shell /usr/sbin/nologin svc
fi
if [ ! -d /var/lib/svc ]; then
	install -d -m 0700 -o svc -g svc /var/lib/svc
fi
# The variables may hold secrets. Whoever has chosen another group keeps it.
for path in /etc/svc /etc/svc/svc.env; do
	if [ -e $path ] && [ "$(stat -c %G $path)" = root ]; then
		chgrp svc $path
		chmod o= $path
	fi
done
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || :
fi
