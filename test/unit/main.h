// Included in front of each *_test.c, whose main is called NAME_main by the build: its prototype.
int main(void);
