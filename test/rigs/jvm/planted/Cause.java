/** Something that makes a program slow. */
interface Cause {
    /** Starts the threads and makes the data that `step` needs. */
    default void prepare() throws Exception {}

    /** Holds its caller up for about so many milliseconds. */
    void step(int ms) throws Exception;
}
