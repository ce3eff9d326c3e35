/** Healthy: the main thread does work of many kinds. */
final class Mixed implements Cause {
    @Override
    public void step(int ms) {
        Work.mixed(ms);
    }
}
