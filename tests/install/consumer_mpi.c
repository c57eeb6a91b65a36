/* consumer_mpi.c -- a program of several ranks that uses the installed library.
 *
 * SPDX-License-Identifier: MIT */
#include <bonsai_mpi.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bonsai_graph *g = NULL;
    bonsai_status rc = bonsai_mpi_read(&g, "there is no such file", NULL, MPI_COMM_WORLD);
    int good = rc == BONSAI_E_IO && strstr(bonsai_error(), "there is no such file") != NULL &&
               bonsai_mpi_threads(MPI_COMM_WORLD) >= 1;
    rc = bonsai_mpi_agree(rank == ranks - 1 ? BONSAI_E_FORMAT : BONSAI_OK, "the last one fell",
                          MPI_COMM_WORLD);
    good = good && rc == BONSAI_E_FORMAT && strcmp(bonsai_error(), "the last one fell") == 0;
    MPI_Finalize();
    return good ? 0 : 1;
}
