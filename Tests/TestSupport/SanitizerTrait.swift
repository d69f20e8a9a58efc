// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Disables a test under a sanitizer, which uses memory, threads and stack itself.
    package static var withoutSanitizer: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["RESTKIT_SANITIZER"] == nil,
            "a sanitizer uses memory, stack and threads")
    }
}
