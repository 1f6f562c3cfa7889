Gem::Specification.new do |s|
  s.add_dependency "stripe", ">= 5"
  s.add_development_dependency "twilio-ruby"
  # s.add_dependency "openai"
end
