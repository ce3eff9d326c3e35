package sample;

/** A method that the runtime copies into each class that has it from here. */
interface PluginWork extends Runnable {
    default void work() {
        Cpu.burn(50);
    }
}
