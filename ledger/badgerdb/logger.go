package badgerdb

// logger hands Badger's warnings and errors on and drops the rest without
// formatting it: four debug lines a write would cost more than the write.
type logger struct {
	log func(format string, args ...any)
}

func (l logger) Errorf(format string, args ...any)   { l.print("badger error: "+format, args) }
func (l logger) Warningf(format string, args ...any) { l.print("badger warning: "+format, args) }
func (logger) Infof(string, ...any)                  {}
func (logger) Debugf(string, ...any)                 {}

func (l logger) print(format string, args []any) {
	if l.log != nil {
		l.log(format, args...)
	}
}
