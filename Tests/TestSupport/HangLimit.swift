// SPDX-License-Identifier: Apache-2.0

package import Testing

extension TimeLimitTrait.Duration {
    /// The duration after which a test counts as hung: far longer than it takes beside other processes.
    package static var hang: Self { .minutes(20) }
}
