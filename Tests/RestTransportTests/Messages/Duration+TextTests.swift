// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Testing

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            (.zero, "0 s"), (.seconds(30), "30 s"), (.nanoseconds(59_999_999_990), "60 s"),
            (.milliseconds(59_949), "59.9 s"), (.milliseconds(250), "0.25 s"),
            (.milliseconds(9_999) + .microseconds(600), "10 s"), (.milliseconds(1_500), "1.5 s"),
            (.microseconds(350), "0.00035 s"), (.nanoseconds(400), "0 s"),
            (.milliseconds(10), "0.01 s"), (.seconds(1) + .nanoseconds(1), "1 s"),
        ] as [(Duration, String)])
    func roundsToReadableText(duration: Duration, text: String) {
        #expect(duration.roundedText == text)
    }
}
