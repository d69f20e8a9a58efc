// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Leaves out what counts memory or nests to the end of a stack where a sanitizer, which takes
    /// both for itself, watches.
    package static var unwatched: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["RESTKIT_SANITIZER"] == nil,
            "a sanitizer takes memory and stack of its own")
    }
}
