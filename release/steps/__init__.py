"""What happens to a tag, in this order. A step takes one value and returns the next; none knows another.

resolve   tag name → Source
build     Source → Tree;  reopen: the Tree that was built before, hashed again
check     Tree → CheckedTree
plan      CheckedTree → Plan
upload    Plan → Upload
verify    Upload → Verified
record    Verified → Record
"""
