// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Leaves out what counts memory or threads, or nests to the end of a stack, where a sanitizer
    /// watches, which takes some of each for itself.
    package static var withoutSanitizer: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["RESTKIT_SANITIZER"] == nil,
            "a sanitizer takes memory, stack and threads of its own")
    }
}
