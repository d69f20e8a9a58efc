// SPDX-License-Identifier: Apache-2.0

#if Macros
import Demonstration
#endif

/// The program `rest-demo`.
@main
struct DemonstrationTool {
    static func main() async {
        #if Macros
        await DemoProgram.run()
        #else
        print("rest-demo declares its models with macros: build it with the trait Macros")
        #endif
    }
}
