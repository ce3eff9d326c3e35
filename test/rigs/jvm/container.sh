#!/bin/sh
# container.sh FOLDER COMMAND …: runs a command as a container would: its root is FOLDER, with nothing of ours but the system's programs and the folders in
# $CONTAINER_SHOWS, a /tmp of its own, and no names of users. To be called below `unshare --pid --mount --fork --kill-child`.
set -e
root=$1
shift
mount -t tmpfs none "$root"
cd "$root"
mkdir -p proc tmp dev ours
for folder in /usr /bin /lib /lib64 /etc/java-* $CONTAINER_SHOWS; do
  [ -d "$folder" ] || continue
  mkdir -p ".$folder"
  mount --rbind "$folder" ".$folder"
done
mount -t proc none proc
pivot_root . ours
umount -l /ours
exec "$@"
