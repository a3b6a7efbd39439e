/* A C host that forks, and a thread of it that is over before main is: children CASE. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bridge.h"

static void tell(const char* label)
{
    char text[400];
    frame_last_error_(text, (int)sizeof text - 1);
    text[sizeof text - 1] = '\0';
    printf("%s %d %s\n", label, frame_status_(), text);
}

static void start(void)
{
    int ierr;
    frame_set_("backend", "cpu", &ierr);
    frame_set_("species", "N2", &ierr);
    frame_initialize_(0, 8, 1, 6, 0);
    frame_report_(&ierr);
    fflush(stdout);
}

static void* in_thread(void* unused)
{
    start();
    return unused;
}

static void* do_nothing(void* unused)
{
    return unused;
}

int main(int count, char** words)
{
    const char* which = count > 1 ? words[1] : "";
    int ierr, status;
    pthread_attr_t attributes;
    pthread_t thread;
    pid_t child;

    if (!strcmp(which, "small-stack")) {
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 16384); /* PTHREAD_STACK_MIN, at times no constant */
        status = pthread_create(&thread, &attributes, do_nothing, NULL);
        printf("small-stack %s\n", strerror(status));
        return status == 0 ? pthread_join(thread, NULL) : 1;
    }

    if (!strcmp(which, "thread")) {
        pthread_create(&thread, NULL, in_thread, NULL);
        pthread_join(thread, NULL);
        return 0;
    }
    if (strcmp(which, "before"))
        start();
    printf("parent %d\n", (int)getpid());
    if (strcmp(which, "abort"))
        fflush(stdout); /* the child of "abort" holds a copy of the line above */
    child = fork();
    if (child == 0) {
        if (!strcmp(which, "return")) {
            frame_error_policy_("return", &ierr);
            frame_launch_("prEOSDensity", 1, &ierr);
            tell("launch");
            frame_boot_(&ierr);
            tell("boot");
            frame_initialize_comm_(0, 8, 1, 6, 0, 0, &ierr);
            tell("initialize");
        } else if (!strcmp(which, "abort")) {
            frame_launch_("prEOSDensity", 1, &ierr);
        } else if (!strcmp(which, "before")) {
            start(); /* nothing ran before fork: a child is a process like any other */
        }
        exit(7);
    }
    waitpid(child, &status, 0);
    printf("child %d ended %d\n", (int)child, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    frame_error_policy_("return", &ierr);
    if (!strcmp(which, "before"))
        start();
    frame_finalize_();
    tell("finalize");
    return 0;
}
