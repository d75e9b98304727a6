# Writes a table of squares as C.
echo "static const int squares[] = {"
i=0
while [ "$i" -lt "$1" ]; do
  echo "  $((i * i)),"
  i=$((i + 1))
done
echo "};"
