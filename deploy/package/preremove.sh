#!/bin/sh
# dpkg says "remove" when the package goes and rpm says 0; at an upgrade both say
# something else, and the service keeps running.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now svc.service || :
	fi
	;;
esac
